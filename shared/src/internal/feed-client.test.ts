import { expect, test } from 'vitest';
import { createFeedClient } from './index.ts';
import type { InternalClient } from './internal-client.ts';

function service(name: string, asked: string[], answers: () => boolean): InternalClient {
  const get: InternalClient['get'] = async (_path, parse) => {
    asked.push(name);
    if (!answers()) throw new Error('no answer');
    return parse({ head: 1, history: '', changes: [] });
  };
  const refuse = () => Promise.reject(new Error('the feed is only read, page by page'));
  return { get, post: refuse, readMany: refuse };
}

test('the address that answered last is asked first, so that a silent one is waited for once', async () => {
  const asked: string[] = [];
  const feed = createFeedClient([service('silent', asked, () => false), service('other', asked, () => true)]);
  await feed.head();
  await feed.since(0);
  await feed.since(0);
  expect(asked).toEqual(['silent', 'other', 'other', 'other']);
});

test('when the address that answered last falls silent, the others are asked again', async () => {
  const asked: string[] = [];
  const works = new Set(['second']);
  const feed = createFeedClient(
    ['first', 'second'].map((name) => service(name, asked, () => works.has(name))),
  );
  await feed.head();
  works.clear();
  await expect(feed.head()).rejects.toThrow('no answer');
  works.add('first');
  await feed.head();
  expect(asked).toEqual(['first', 'second', 'second', 'first', 'second', 'first']);
});
