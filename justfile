# What can be done with BrowserLens. `./just` runs this where `just` is not installed.

set shell := ["bash", "-euo", "pipefail", "-c"]
set positional-arguments

# Lists the recipes.
default:
    @just --list

# Builds what the bench needs, replays the bundled traces, prints the summary and where the report lies.
bench *args:
    @cargo build --quiet -p browserlens --no-default-features --features bench
    @target/debug/browserlens bench "$@"

# Installs what the tests need where it is missing (Chromium, axe-core, MiniWoB++, the tools that agents use, component libraries), then runs every test, in a home that must stay empty.
test *args:
    @scripts/timed "test: install Chromium" scripts/install-chromium
    scripts/run-tests "$@"

# Records the bundled traces again (all, or the scenarios that are named).
record *args:
    @scripts/install-chromium
    cargo build --workspace --quiet
    target/debug/browserlens record --force "$@"

# Plays tasks of MiniWoB++ through `serve`, by scripts that see only its answers, and prints what each took; `just miniwob --tasks drag-items --seeds 5`.
miniwob *args:
    @scripts/install-chromium
    @scripts/install-miniwob
    cargo build --workspace --quiet
    scripts/miniwob --table "$@"

# Compares our re-implementations of other tools with what those really said, and writes reports/fidelity.md (`--check` compares with it).
fidelity *args:
    @cargo build --quiet -p browserlens --no-default-features --features bench
    @target/debug/browserlens lab fidelity "$@"

# Builds what users are given into target/dist (optimised over all crates, stripped) and says how large it is: the program, packed with man pages, completions, the
# skill and licences into one archive with its SHA-256 beside it. Local embeddings are not in it: `./just dist local` adds them.
dist more="":
    BROWSERLENS_COMMIT="$(git rev-parse --short HEAD 2>/dev/null || true)" cargo build --quiet --profile dist -p browserlens --no-default-features --features dist,{{more}}
    @ls -l target/dist/browserlens | awk '{ printf "target/dist/browserlens: %.1f MB\n", $5 / 1000000 }'
    @scripts/dist target/dist/browserlens target/dist

# Builds the wheel that users are given (the package for Python and the command) into target/dist, installs it with pip alone and measures it.
dist-wheel:
    @scripts/install-chromium
    @scripts/install-python
    rm -f target/dist/browserlens-*.whl
    cd crates/python && BROWSERLENS_COMMIT="$(git rev-parse --short HEAD 2>/dev/null || true)" ../../.tools/python/venv/bin/maturin build --quiet --out ../../target/dist --target-dir ../../target
    @python3 crates/python/tests/measure_wheel.py target/dist/browserlens-*.whl target/dist/fresh --given

# Installs the tools that `record --peers` asks for their real output, into .tools/peers (npm, pip; no browser).
peers:
    @scripts/install-peers

# Installs the official MCP clients and schemathesis into .tools/clients, and runs the tests of `serve` that speak through them.
clients:
    @scripts/install-chromium
    @scripts/install-clients
    cargo test -p browserlens --test serve --quiet -- --include-ignored

# Makes one site of the documents, target/book/html, by mdBook (installed into .tools), after looking up every link in them; `scripts/book --check` does only that.
docs:
    @scripts/install-mdbook
    @scripts/book

# Builds the Python wheel, installs it into a fresh environment with pip alone, measures it, and runs the package's tests (`./just python fast`: those without the
# scenarios and examples that need minutes; `./just python all`: every bundled scenario too).
python which="most":
    @scripts/install-chromium
    @scripts/install-python
    @scripts/python-wheel {{which}}

# Measures replay on Ray on this machine: rows, two workers, machines lost, memory and time as corpora grow (`./just python` first; `./just ray-bars 2000 10000`).
ray-bars *args:
    @scripts/ray-bars "$@"

# Formats, looks for unknown keys in manifests, lints with warnings denied, builds the docs, checks licences and the links of the documents, regenerates what is generated.
check:
    @scripts/timed "check: format" cargo fmt --all
    @# Cargo says which keys it does not know only where it builds, and not where it is quiet.
    @scripts/timed "check: manifests" bash -c '! (cargo build -p none 2>&1 || true) | grep "unused manifest key"'
    @scripts/timed "check: lints" cargo clippy --workspace --all-targets --quiet -- -D warnings
    @RUSTDOCFLAGS="-D warnings" scripts/timed "check: docs" cargo doc --workspace --no-deps --quiet
    @scripts/timed "check: licences" scripts/check-licences
    @scripts/timed "check: links of the documents" scripts/book --check
    git diff --exit-code --stat

# Runs the examples of reports/SCHEMA.md (polars, DuckDB, pandas; installed into .tools/examples) on a report, or on a fresh one.
examples report="":
    @if [ -n "{{report}}" ]; then scripts/examples "{{report}}"; else \
        folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; \
        cargo build --quiet -p browserlens --no-default-features --features bench; \
        target/debug/browserlens bench --out "$folder/report" >/dev/null; scripts/examples "$folder/report"; fi

# Runs the micro-benchmarks: capture parsing, packed load, diff, format, token counting, a whole replay.
microbench *args:
    cargo bench --workspace --quiet "$@"

# Carries out the way between every pair of connected screens of every bundled site in Chromium; a few of them are in `just test`.
ways:
    @scripts/install-chromium
    cargo test -p browserlens-recorder --quiet --test ways -- --ignored --nocapture
    cargo test -p browserlens-serve --quiet --test follow -- --ignored --nocapture

# Unpacks older releases of Playwright into .tools/playwright, and imports a trace of each.
playwrights:
    @scripts/install-chromium
    @scripts/install-peers playwright-mcp-0-0-83
    @scripts/install-playwrights
    cargo test -p browserlens-import --quiet --test playwright -- --ignored --nocapture

# Renders a Playwright trace of a thousand steps, and says how long it took and how much memory; `just thousand 100` renders a hundred.
thousand steps="1000":
    @scripts/install-chromium
    @scripts/install-peers playwright-mcp-0-0-83
    STEPS={{steps}} cargo test -p browserlens-import --quiet --test thousand -- --ignored --nocapture

# Holds fast looks against whole captures on every bundled step, and patched looks against whole ones for longer; a part of both is in `just test`.
looks:
    @scripts/install-chromium
    PATCH_ROUNDS=40 cargo test -p browserlens-session --quiet --test fast_looks --test patched_looks -- --include-ignored

# The press test: uses every ref of pages made with 28 component libraries, and says which controls no ref reaches; twelve patterns are in `just test`.
# `./just wild --patterns hand,antd/tree --details found.md` narrows it and writes down what was found.
wild *args:
    @scripts/install-chromium
    @scripts/install-wild
    @cargo build --workspace --quiet
    @scripts/wild/run --program target/debug/browserlens "$@"

# Records those pages, a few clicks on each, measures on them what each strategy shows and costs, and checks that no row mixes two things and that refs stay.
wild-bench *args:
    @scripts/install-chromium
    @scripts/install-wild
    @cargo build --workspace --quiet
    @scripts/wild/run --program target/debug/browserlens --record .tools/wild/traces
    @cargo build --quiet -p browserlens --no-default-features --features bench
    @target/debug/browserlens bench .tools/wild/traces "$@"
    BROWSERLENS_TRACES="$PWD/.tools/wild/traces" cargo test -p browserlens-lens --test rows --test kept --quiet

# Measures a live observation against Playwright MCP's snapshot, built for release; `just live-speed 7 150` takes seven pairs of each and 150 seconds at the most.
live-speed pairs="5" seconds="150":
    @scripts/install-chromium
    @scripts/install-peers
    cargo run --quiet --release -p browserlens-session --example speed -- .tools/peers/npm/playwright-mcp-0-0-83/node_modules/playwright-mcp-0-0-83/cli.js {{pairs}} {{seconds}}

# Changes the lens' differ, formatter and budget in one place at a time, and says which share of these mutants its tests notice; `./just mutants 0/20` takes every 20th.
mutants *shard:
    @scripts/mutants {{shard}}

# Fuzzes what parses untrusted text, 60 seconds each: chunks, grep, paths, and every importer. `./just fuzz 10` runs each for 10.
fuzz seconds="60":
    @for target in chunk grep path; do crates/snapshot/fuzz/run "$target" {{seconds}}; done
    @for target in archive playwright_tree playwright_trace cdp mind2web mind2web_rows derived har scripts; do crates/import/fuzz/run "$target" {{seconds}}; done

# Looks at one observation: `just show traces/shop-laptop-to-cart.trace --step 2 --strategy lens/delta`.
show *args:
    @cargo run --quiet -p browserlens --no-default-features --features bench -- show "$@"

# Takes the pictures of the README from a fresh report.
picture:
    @scripts/install-chromium
    @scripts/picture reports

# Builds the container image and reads a page with it; where neither podman nor docker answers it says so.
container:
    @scripts/container-try
