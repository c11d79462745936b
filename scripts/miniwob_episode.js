// Goes behind the core.js of MiniWoB++. An episode begins by itself, once; nothing starts it again, so that what a page
// says after its end stays. The server puts in a seed and the number of the run, and takes the reward.
;(() => {
  const limit = 24 * 3600 * 1000;
  Object.defineProperty(core, 'EPISODE_MAX_TIME', { get: () => limit, set: () => {} });
  Math.seedrandom(SEED);
  const show = core.startEpisode, end = core.endEpisode;
  let begun = false;
  core.startEpisode = () => {
    if (begun) return;
    begun = true;
    show();
    Math.seedrandom(SEED);
    core.startEpisodeReal();
  };
  core.endEpisode = function (...given) {
    const running = core.EP_TIMER !== null;
    end.apply(this, given);
    if (!running) return;
    const body = JSON.stringify({ reward: WOB_RAW_REWARD_GLOBAL, reason: WOB_REWARD_REASON });
    fetch('/ended/RUN', { method: 'POST', keepalive: true, body });
  };
})();
