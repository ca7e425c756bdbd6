import { Button } from '@mantine/core';
import { EmptyState } from '../../components/empty-state.tsx';
import { type ApiKeyFilter, isNarrowed } from './api-key-filter.ts';

const everything: ApiKeyFilter = { q: '', status: null, scope: null, concern: null };

export interface NoApiKeysProps {
  filter: ApiKeyFilter;
  onReset: (change: () => ApiKeyFilter) => void;
}

/** Where no key is shown: because of the filter, or because there is none. */
export function NoApiKeys({ filter, onReset }: NoApiKeysProps) {
  if (!isNarrowed(filter))
    return (
      <EmptyState icon="key" title="No key is stored">
        You are signed in with ADMIN_API_KEY of the configuration. Create a key of your own, and take that
        variable away.
      </EmptyState>
    );
  const reset = (
    <Button variant="default" onClick={() => onReset(() => everything)}>
      Show every key
    </Button>
  );
  return (
    <EmptyState icon="search" title="No key is like that" action={reset}>
      The search looks into names, and at the beginning of keys (lk_ and the next eight characters).
    </EmptyState>
  );
}
