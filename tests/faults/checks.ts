/** The checks of a run, counted as passed or failed. */
export interface Checks {
  say(line: string): void;
  /** Counts and prints one check. The sentence states what must hold. */
  check(sentence: string, holds: boolean, detail?: string): void;
  /** Runs a part. An error that it throws counts as one failure. */
  run(part: string, work: () => Promise<void>): Promise<void>;
  /** `N passed, N failed` */
  summary(): string;
  ok(): boolean;
}

export function createChecks(say: (line: string) => void): Checks {
  let passed = 0;
  let failed = 0;

  function check(sentence: string, holds: boolean, detail = ''): void {
    if (holds) passed++;
    else failed++;
    say(`${holds ? '✓' : '✗'} ${sentence}${holds || detail === '' ? '' : `: ${detail}`}`);
  }

  return {
    say,
    check,
    async run(part, work) {
      say(`\n${part}`);
      try {
        await work();
      } catch (error) {
        check(`${part} runs to its end`, false, error instanceof Error ? error.message : String(error));
      }
    },
    summary: () => `${passed} passed, ${failed} failed`,
    ok: () => failed === 0 && passed > 0,
  };
}
