import { type Answer, ask, type Question } from './ask.ts';

/** Requests at a steady pace, whatever becomes of them. */
export interface Load {
  /** In the order in which they ended. */
  answers: Answer[];
  /** Waits for what is under way. */
  stop(): Promise<Answer[]>;
}

const tickMs = 10;

/** @param next gives each request and where it goes */
export function startLoad(perSecond: number, next: () => { origin: string; question: Question }): Load {
  const answers: Answer[] = [];
  const open = new Set<Promise<void>>();
  const startedAtMs = performance.now();
  let sent = 0;

  function send(): void {
    const { origin, question } = next();
    const done = ask(origin, question).then((answer) => {
      answers.push(answer);
      open.delete(done);
    });
    open.add(done);
  }

  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAtMs) * perSecond) / 1_000);
    for (; sent < due; sent++) send();
  }, tickMs);

  return {
    answers,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return answers;
    },
  };
}

/** `200: 1,234 · 503: 5`; a missing answer by its reason. */
export function countByStatus(answers: readonly Answer[]): string {
  const counts = new Map<string, number>();
  for (const { status, code } of answers) {
    const name = status === 0 ? code : String(status);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, count]) => `${name}: ${count.toLocaleString('en')}`)
    .join(' · ');
}
