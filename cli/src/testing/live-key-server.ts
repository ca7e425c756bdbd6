import { keyOfUrl, keyUrlBase } from './encrypt-files.ts';
import { type Answer, answerProblem, startKeyServer } from './key-server.ts';

/** As the API shows them. */
type ShownPeriods = Readonly<Record<string, unknown>>;

/**
 * A key server that knows one content, with keys that `keyOfUrl` gives too.
 *
 * @param keyPeriods of the content; null for none, undefined for a content that is not registered
 */
export async function startLiveKeyServer(keyPeriods: ShownPeriods | null | undefined, intercept?: Answer) {
  const state = { keyPeriods, isAway: false, clockOffsetMs: 0 };
  const server = await startKeyServer((request, response, n) => {
    if (state.isAway) return void request.socket.destroy();
    if (state.clockOffsetMs !== 0)
      response.setHeader('date', new Date(Date.now() + state.clockOffsetMs).toUTCString());
    const path = request.url ?? '';
    if (path.startsWith('/keys/')) return void response.end(keyOfUrl(`${keyUrlBase}${path}`));
    if (intercept) return intercept(request, response, n);
    const { keyPeriods: stated } = JSON.parse(server.seen[n]?.body || '{}') as { keyPeriods?: ShownPeriods };
    if (stated) state.keyPeriods = { ahead: 1, behind: null, ...stated };
    if (state.keyPeriods === undefined)
      return answerProblem(response, 404, 'CONTENT_NOT_FOUND', 'No such content.');
    response.end(JSON.stringify({ content: { id: 'channel', keyPeriods: state.keyPeriods } }));
  });
  return { ...server, state };
}
