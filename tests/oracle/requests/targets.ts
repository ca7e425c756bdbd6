import { adminKey, pageOrigin } from '../odd-key-requests.ts';
import type { Recorder } from '../recorder.ts';
import { fillPath, makeScene, type Operation, validRequest } from './operations.ts';

const bearer = `authorization: Bearer ${adminKey}`;
const oddIds = ['none', '%20', '%00', '%ZZ', 'a%2Fb', '..', '%C3%BC', 'x'.repeat(257), ''];

/** Other ids in the path of every operation that has one. */
export async function recordIds(recorder: Recorder, operations: readonly Operation[], webhookUrl: string) {
  for (const operation of operations) {
    const names = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    if (names.length === 0) continue;
    const scene = await makeScene(recorder, operation, `ids-${operation.tag}`);
    const request = validRequest(operation, scene, webhookUrl);
    const place = { file: 'requests/ids.txt', subject: operation.name, shown: bearer };
    for (const name of names) {
      for (const odd of oddIds) {
        const target = fillPath(operation.path, { ...scene.ids, [name]: odd });
        const headers = [bearer, ...(request.headers ?? [])];
        await recorder.record(place, `${name}: ${odd}`, { ...request, target, headers });
      }
    }
  }
}

const oddValues = ['', '0', '1.5', '01', '99999999999', 'x', '%00', 'x'.repeat(600)];

/** Other values of every member of every query. */
export async function recordQueries(
  recorder: Recorder,
  operations: readonly Operation[],
  webhookUrl: string,
) {
  for (const operation of operations) {
    const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
    const scene = await makeScene(recorder, operation, `queries-${operation.tag}`);
    const { target: whole, method, ...request } = validRequest(operation, scene, webhookUrl);
    const [path = '', own = ''] = whole.split('?');
    if (method !== 'GET' && parameters.length === 0) continue;
    const headers = [bearer, ...(request.headers ?? [])];
    const place = {
      file: 'requests/queries.txt',
      subject: operation.name,
      shown: `${method} ${path}\n${bearer}`,
    };
    const send = async (query: string) => {
      // A variant sets only what differs from the valid request, so that lists stay short.
      const kept = own.split('&').filter((member) => member && !query.startsWith(`${member.split('=')[0]}=`));
      const target = `${path}?${[...kept, query].join('&')}`;
      await recorder.record(place, target.slice(path.length), { ...request, method, target, headers });
    };
    await send('unknown=1');
    for (const { name, schema } of parameters) {
      const good: string[] = (schema.enum ?? []).slice(0, 3);
      for (const value of [...oddValues, ...good]) await send(`${name}=${value}`);
      await send(`${name}=1&${name}=2`);
      await send(`${name}[]=1`);
    }
  }
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const otherPaths = `
/ /admin /admin/ /admin/content/x /admin/none.js /favicon.ico /robots.txt /metrics /nothing /openapi.json /internal
/internal/feed /api /api/v1 /api/v2/content /keys /play /speke /health/ /HEALTH //health /%68ealth /api/v1/content/
`;
const origins = [`origin: ${pageOrigin}`, 'origin: https://other.example', 'origin: null'];

/** Every path with the methods that it does not take, preflights, and paths that are not in the document. */
export async function recordMethods(recorder: Recorder, operations: readonly Operation[]) {
  const ids = {
    id: 'film',
    contentId: 'film',
    sid: 'none',
    name: 'film.m3u8',
    epoch: '0',
    kid: 'none',
    deliveryId: 'none',
  };
  const paths = [...operations.map((operation) => operation.path), ...otherPaths.trim().split(/\s/)];
  for (const path of new Set(paths)) {
    const place = { file: 'requests/methods.txt', subject: path, shown: path };
    const target = fillPath(path, ids);
    const send = (method: string, ...headers: string[]) =>
      recorder.record(place, [method, ...headers].join('\n'), { method, target, headers });
    const known = operations.filter((operation) => operation.path === path).map(({ method }) => method);
    for (const method of methods.filter((each) => !known.includes(each))) await send(method);
    if (known.includes('GET') && path !== '/api/v1/events') await send('HEAD', bearer);
    for (const origin of origins) {
      await send('GET', origin);
      await send(
        'OPTIONS',
        origin,
        'access-control-request-method: DELETE',
        'access-control-request-headers: x-other',
      );
    }
    if (path === '/keys/{contentId}') for (const origin of origins) await send('GET', bearer, origin);
  }
}
