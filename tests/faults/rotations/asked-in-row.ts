import { type Answer, ask } from '../client/ask.ts';
import type { RotatedStack } from './rotated-stack.ts';

/** Requests in a row that must all be answered alike: more than there are processes behind the load balancer, several times over. */
const askedInRow = 12;

/** Sends requests with a credential to every process that faces clients. None is sent twice. */
export function askInRow({ origin }: RotatedStack, path: string, credential: string): Promise<Answer[]> {
  const headers = { authorization: `Bearer ${credential}` };
  return Promise.all(Array.from({ length: askedInRow }, () => ask(origin(), { path, headers })));
}

export const isOk = ({ status }: Answer) => status === 200;
export const isUnauthenticated = ({ status }: Answer) => status === 401;
export const tell = (answers: readonly Answer[]) =>
  answers.map(({ status, code }) => `${status} ${code}`).join(', ');
