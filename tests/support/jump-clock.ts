// `--import` loads this before a server. At SIGUSR2 its monotonic clock jumps forward by the milliseconds in this module's address
// (`?by=1860000`), as if that time had passed. Timers and the wall clock go on as before.
const jumpMs = Number(new URL(import.meta.url).searchParams.get('by'));
const now = performance.now.bind(performance);
let passedMs = 0;
performance.now = () => now() + passedMs;
process.on('SIGUSR2', () => {
  passedMs += jumpMs;
});
