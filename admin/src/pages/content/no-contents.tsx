import { Button } from '@mantine/core';
import { EmptyState } from '../../components/empty-state.tsx';
import { type ContentFilter, everyContent, isNarrowed } from './content-filter.ts';
import type { ChangeFilter } from './use-content-filter.ts';

export interface NoContentsProps {
  filter: ContentFilter;
  /** On all pages. */
  total: number;
  onChange: ChangeFilter;
}

/** Where no content is shown: the page is beyond the last, nothing matches, or there is none. */
export function NoContents({ filter, total, onChange }: NoContentsProps) {
  if (total > 0)
    return (
      <EmptyState
        icon="search"
        title={`There is no page ${filter.page}`}
        action={
          <Button variant="default" onClick={() => onChange((now) => ({ ...now, page: 1 }))}>
            Go to the first page
          </Button>
        }
      />
    );
  if (isNarrowed(filter))
    return (
      <EmptyState
        icon="search"
        title="No content is like that"
        action={
          <Button variant="default" onClick={() => onChange(() => everyContent)}>
            Show every content
          </Button>
        }
      >
        The search looks for a part of the name or of the id, in any case.
      </EmptyState>
    );
  return (
    <EmptyState icon="film" title="No content yet">
      Register one, and it has a key: encrypt with it, and players fetch it. In the folder of Latchkey,{' '}
      <code>npx latchkey encrypt</code> registers by itself with <code>--register</code>.
    </EmptyState>
  );
}
