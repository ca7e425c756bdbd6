import { ranges } from '../../state/time-range.ts';
import { anyText, createFilter } from '../../state/use-address-filter.ts';

/** The properties by which refusals are counted. */
export const groupings = ['code', 'viewer', 'content'] as const;

/** The address of the page: the question that is explained, what the rows are filtered by, and the groups. */
export const refusalFilter = createFilter({
  viewer: anyText,
  content: anyText,
  epoch: anyText,
  lease: anyText,
  request: anyText,
  code: anyText,
  q: anyText,
  by: groupings,
  range: ranges,
});
