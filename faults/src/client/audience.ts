import { viewerToken } from '@latchkey/rig/tokens';
import { ask, type Question } from './ask.ts';
import { demand, type Management } from './management.ts';

/** Viewers who only watch: nothing of theirs is ever revoked. */
export interface Audience {
  contentId: string;
  /** Makes every replica read the states of all viewers. A replica that was restarted has none. */
  becomeKnown(): Promise<void>;
  /** The key request of the next viewer. */
  next(): Question;
}

const viewers = 100;

/** Viewers of one content, half of them with a lease, whom every replica knows. */
export async function createAudience(
  management: Management,
  tokenSecret: string,
  contentId: string,
  replicas: readonly { url: string; headers: Readonly<Record<string, string>> }[],
): Promise<Audience> {
  await demand(management.registerContent(contentId));
  const questions = await Promise.all(
    Array.from({ length: viewers }, async (_, index): Promise<Question> => {
      const viewerId = `audience-${contentId}-${index}`;
      const headers: Record<string, string> = {
        authorization: `Bearer ${viewerToken(tokenSecret, viewerId)}`,
      };
      if (index % 2 === 0) {
        const { lease } = await demand(management.createLease(viewerId, contentId));
        headers['x-lease-id'] = lease.id;
      }
      return { path: `/keys/${contentId}`, headers };
    }),
  );
  const becomeKnown = async () => {
    for (const { url, headers } of replicas) {
      await Promise.all(
        questions.map((question) => warm(url, { ...question, headers: { ...question.headers, ...headers } })),
      );
    }
  };
  await becomeKnown();
  let turn = 0;
  return { contentId, becomeKnown, next: () => questions[turn++ % questions.length] as Question };
}

const attempts = 50;

/** Asks until the key comes: a server that has just started may answer 503 at first. */
export async function warm(origin: string, question: Question): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { status, code } = await ask(origin, question);
    if (status === 200) return;
    if (attempt === attempts || (status >= 400 && status < 500))
      throw new Error(
        `${question.path} of ${origin} was answered ${status} ${code} before anything was taken away`,
      );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
