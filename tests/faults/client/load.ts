import { type Answer, ask, type Question } from './send-request.ts';

/** Requests at a steady pace, which does not depend on the answers. */
export interface Load {
  /** In the order in which they ended. */
  answers: Answer[];
  /** Waits for the requests under way. */
  stop(): Promise<Answer[]>;
}

const tickMs = 10;

/** @param next returns each request and its origin */
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
