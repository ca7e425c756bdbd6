import { changeContent, type Scene } from '../black-box/server-actions.ts';
import type { Target } from '../black-box/target.ts';

/** A session, as its creation answers. */
export interface OpenedSession {
  /** The id in the URL. The server must write it nowhere. */
  readonly sid: string;
  readonly leaseId: string;
  /** The URL that a player gets. */
  readonly url: string;
}

/** Sets where the playlist of a content is. */
export const setPlaylist = (target: Target, contentId: string, playlistUrl: string | null) =>
  changeContent(target, contentId, { playlistUrl });

/** Creates a session by the viewer's token. From then on, the id counts as a credential that no log may have. */
export async function openSession(
  { client }: Target,
  { token, contentId }: Pick<Scene, 'token' | 'contentId'>,
): Promise<OpenedSession> {
  const { status, json } = await client.post('/keys/sessions', token, { contentId });
  if (status !== 201) throw new Error(`no session: ${JSON.stringify(json)}`);
  const { id: sid, leaseId } = json.session;
  client.credentials.add(sid);
  return { sid, leaseId, url: json.url };
}
