/** A worker that ends soon is replaced after twice as long each time, from a quarter of a second to 30 s. */
const firstPauseMs = 250;
const longestPauseMs = 30_000;
/** Where no worker serves, a start each second costs nobody anything. */
const longestPauseAloneMs = 1_000;
/** A worker that ran this long did not fail at its start. */
const healthyAfterMs = 30_000;

/** How long a pool waits before it replaces a worker that ended by itself. */
export class RestartPause {
  #pauseMs = firstPauseMs;

  /**
   * @param livedMs how long the worker that ended had run
   * @param serving how many workers still serve
   * @returns milliseconds
   */
  next(livedMs: number, serving: number): number {
    this.#pauseMs = livedMs > healthyAfterMs ? firstPauseMs : Math.min(this.#pauseMs * 2, longestPauseMs);
    return serving > 0 ? this.#pauseMs : Math.min(this.#pauseMs, longestPauseAloneMs);
  }
}
