/** One step of the preparation, as it is shown to the user. */
interface Step {
  /** @param fraction 0 to 1 */
  report(fraction: number): void;
  /** @param note shown instead of the seconds that it took */
  done(note?: string): void;
}

export interface Progress {
  start(title: string): Step;
}

/** Without a terminal, one line for each quarter of the work. */
const lineEveryFraction = 0.25;

/** A line that counts up in a terminal; a few lines in a log. */
export function showProgress(stream: { write(text: string): unknown; isTTY?: boolean }): Progress {
  return {
    start(title) {
      const startMs = performance.now();
      let nextLineAt = lineEveryFraction;
      stream.write(stream.isTTY ? `  ${title}…` : `  ${title}…\n`);
      return {
        report(fraction) {
          const percent = Math.floor(Math.min(fraction, 1) * 100);
          if (stream.isTTY) stream.write(`\r  ${title}… ${percent} %`);
          else if (fraction >= nextLineAt && fraction < 1) {
            stream.write(`  ${title}… ${percent} %\n`);
            while (nextLineAt <= fraction) nextLineAt += lineEveryFraction;
          }
        },
        done(note) {
          const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
          // Clears to the end of the line (ECMA-48, EL).
          stream.write(`${stream.isTTY ? '\r\u001b[K' : ''}✓ ${title} (${note ?? `${seconds} s`})\n`);
        },
      };
    },
  };
}
