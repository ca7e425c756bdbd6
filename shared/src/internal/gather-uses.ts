/** Uses that are kept, some 2 MB. A use beyond that is noted when the same thing is used again. */
const keptUses = 20_000;
/** Maximum uses in one report: at some 55 bytes each, half of the 64 KiB that a body may have. */
const usesAtATime = 500;

/** Id → wall clock of the latest use, in milliseconds since 1970. */
export type Uses = ReadonlyMap<string, number>;

/**
 * Gathers the latest uses in memory until they are reported.
 *
 * @param report rejects where the uses may not have been written
 * @param onFault called once for each flush that could not report all uses
 */
export function gatherUses(
  report: (uses: Uses) => Promise<unknown>,
  onFault: (error: unknown) => void = () => {},
) {
  let latest = new Map<string, number>();

  /** It never waits and never throws. @param usedAt milliseconds since 1970 */
  function note(id: string, usedAt: number): void {
    const known = latest.get(id);
    if (known === undefined && latest.size >= keptUses) return;
    latest.set(id, Math.max(usedAt, known ?? 0));
  }

  async function reportAll(): Promise<void> {
    const uses = [...latest];
    latest = new Map();
    for (let from = 0; from < uses.length; from += usesAtATime) {
      try {
        await report(new Map(uses.slice(from, from + usesAtATime)));
      } catch (error) {
        for (const [id, usedAt] of uses.slice(from)) note(id, usedAt);
        onFault(error);
        return;
      }
    }
  }

  /** `flush` reports the uses. It never rejects: uses that could not be reported are kept for the next time. */
  return { note, flush: oneAtATime(reportAll) };
}

/** A run takes only what was noted before it, so a second caller waits and runs again. @param run never rejects */
export function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return async () => {
    while (running) await running;
    running = run().finally(() => {
      running = null;
    });
    await running;
  };
}
