import { expect, it } from 'vitest';
import { contentFilter } from './content-filter.ts';

it.each(['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=9e15', 'page=1', 'status=gone'])(
  'invalid values in an address are ignored: %s',
  (query) => {
    expect(contentFilter.read(new URLSearchParams(query))).toEqual(contentFilter.everything);
  },
);
