import { expect, it } from 'vitest';
import { everyContent, readFilter } from './content-filter.ts';

it.each(['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=9e15', 'status=gone'])(
  'invalid values in an address are ignored: %s',
  (query) => {
    expect(readFilter(new URLSearchParams(query))).toEqual(everyContent);
  },
);
