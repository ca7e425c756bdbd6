import type { Credential } from '../credentials.ts';
import type { Recorder, Request } from '../recorder.ts';
import { makeScene, type Operation, validRequest } from './operations.ts';

/** Every operation with every credential. */
export async function recordAccess(
  recorder: Recorder,
  operations: readonly Operation[],
  credentials: readonly Credential[],
  webhookUrl: string,
): Promise<void> {
  for (const operation of operations) {
    const scene = await makeScene(recorder, operation, `access-${operation.tag}`);
    const request = validRequest(operation, scene, webhookUrl);
    const shown = `${request.method} ${request.target}${request.body ? `\n${request.body}` : ''}`;
    const place = { file: 'requests/access.txt', subject: operation.name, shown };
    for (const credential of credentials)
      await recorder.record(place, credential.name, withCredential(request, credential));
  }
}

function withCredential(request: Request, { headers = [], query }: Credential): Request {
  const { target } = request;
  const joined = query === undefined ? target : `${target}${target.includes('?') ? '&' : '?'}${query}`;
  return { ...request, target: joined, headers: [...headers, ...(request.headers ?? [])] };
}
