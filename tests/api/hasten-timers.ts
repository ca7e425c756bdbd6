// `--import` loads this before a server. Its timers of ten seconds and more then take a fifth of that time, so that no test waits half a
// minute for a job that is repeated seldom. The clocks are not changed.
const longMs = 10_000;
const times = 5;

globalThis.setTimeout = new Proxy(globalThis.setTimeout, {
  apply: (right, self, [callback, ms, ...given]) =>
    Reflect.apply(right, self, [callback, ms >= longMs ? ms / times : ms, ...given]),
});
