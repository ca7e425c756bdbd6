import { viewerToken } from '@latchkey/support/tokens';
import { demand, type Management } from './management.ts';
import { credentials, questionsOfSession } from './revocation-subject.ts';
import { ask, type Question } from './send-request.ts';

/** Viewers who only watch: nothing of theirs is ever revoked. A third each has a token, a token and a lease, or the URL of a session. */
export interface Audience {
  contentId: string;
  /** Makes every replica read the states of all viewers. A replica that was restarted has none. */
  becomeKnown(): Promise<void>;
  /** The key request of the next viewer. */
  next(): Question;
  /** The playlist request of the next viewer with a session. */
  nextPlaylist(): Question;
}

/** A process that is called directly. */
interface Server {
  url: string;
  headers: Readonly<Record<string, string>>;
}

const viewers = 100;

/** Viewers of one content whom every replica knows. @param management with a playlist for every content */
export async function createAudience(
  management: Management,
  tokenSecret: string,
  contentId: string,
  replicas: readonly Server[],
  playbacks: readonly Server[] = [],
): Promise<Audience> {
  await demand(management.registerContent(contentId));
  const playlists: Question[] = [];
  const questions = await Promise.all(
    Array.from({ length: viewers }, async (_, index): Promise<Question> => {
      const viewerId = `audience-${contentId}-${index}`;
      const credential = credentials[index % credentials.length];
      if (credential === 'session') {
        const { url } = await demand(management.createSession(viewerId, contentId));
        const { key, playlist } = questionsOfSession(contentId, url);
        playlists.push(playlist);
        return key;
      }
      const headers: Record<string, string> = {
        authorization: `Bearer ${viewerToken(tokenSecret, viewerId)}`,
      };
      if (credential === 'lease') {
        const { lease } = await demand(management.createLease(viewerId, contentId));
        headers['x-lease-id'] = lease.id;
      }
      return { path: `/keys/${contentId}`, headers };
    }),
  );
  const warmAll = async (servers: readonly Server[], asked: readonly Question[]) => {
    for (const { url, headers } of servers) {
      await Promise.all(
        asked.map((question) => warm(url, { ...question, headers: { ...question.headers, ...headers } })),
      );
    }
  };
  const becomeKnown = async () => {
    await warmAll(replicas, questions);
    await warmAll(playbacks, playlists);
  };
  await becomeKnown();
  let turn = 0;
  let playlistTurn = 0;
  return {
    contentId,
    becomeKnown,
    next: () => questions[turn++ % questions.length] as Question,
    nextPlaylist: () => playlists[playlistTurn++ % playlists.length] as Question,
  };
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
