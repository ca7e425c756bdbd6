import type { ApiDocument } from '@latchkey/support/black-box/api-document';
import type { Target } from '@latchkey/support/black-box/target';
import { expect } from 'vitest';

/** A refusal waits for its row in the audit, and rows that are written at the same time share that wait. */
const atOnce = 8;

/** Asks for each item, some at a time. @returns the answers in the order of the items */
export async function askInParts<Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    answers.push(...(await Promise.all(items.slice(from, from + atOnce).map(ask))));
  return answers;
}

/** The members of queries of the document, apart from the event stream, which does not end. */
export function listQueries({ document }: ApiDocument, methods: readonly string[]) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method) && path !== '/api/v1/events')
      .flatMap(([method, operation]) =>
        ((operation as { parameters?: { name: string; in: string }[] }).parameters ?? [])
          .filter((parameter) => parameter.in === 'query')
          .map(({ name }) => [method.toUpperCase(), path, name] as const),
      ),
  );
}

/** Asks as an admin, without the checks of the client: the paths are odd. */
export async function ask({ url, adminApiKey }: Target, method: string, path: string, body?: string) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${adminApiKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
  });
  const text = await response.text();
  return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : null };
}

/** @param requests method, path and body */
export async function expectNo5xx(
  target: Target,
  requests: readonly [method: string, path: string, body?: string][],
): Promise<void> {
  const answers = await askInParts(requests, async (request) => ({
    request,
    status: (await ask(target, ...request)).status,
  }));
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
}
