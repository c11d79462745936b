// Loaded into the server of @playwright/mcp 0.0.68 before its own code, when `attach` says `"wait":"host"`.
//
// The tool's wait after an action, a timer in the page's main world, becomes a wait for the recorder's word
// that the page has come to rest (20 s at most). Invariant: the recorder is told once for an `act`, and only
// of the wait of its last call: waits that an earlier call left behind when a dialog or a file chooser cut it
// short, and second waits, return at once.
'use strict';
const { AsyncLocalStorage } = require('node:async_hooks');
const Module = require('node:module');
const { join, sep } = require('node:path');

const call = new AsyncLocalStorage();
let calls = 0;
let wanted = 0;
let settled = false;
let go = null;
process.on('message', (message) => {
  // `begin` says which of the coming calls is the last of its act.
  if (message.begin !== undefined) { settled = false; wanted = calls + message.begin; }
  if (message.settled) { settled = true; go?.(); }
});
process.channel?.unref();

function patch(prototype) {
  const { waitForCompletion } = prototype;
  prototype.waitForCompletion = function (callback) {
    return call.run(++calls, () => waitForCompletion.call(this, callback));
  };
  prototype.waitForTimeout = async function () {
    if (settled || call.getStore() !== wanted) return;
    process.send?.('acted');
    await new Promise((done) => { go = done; setTimeout(done, 20_000).unref(); });
    settled = true;
  };
}

const load = Module._load;
Module._load = function (request, parent, isMain) {
  const made = load.call(this, request, parent, isMain);
  const prototype = parent?.filename?.includes(join('playwright', 'lib', 'mcp') + sep) && made?.Tab?.prototype;
  if (prototype && !Object.hasOwn(prototype, 'browserlens')) {
    prototype.browserlens = true;
    patch(prototype);
  }
  return made;
};
