import { Button } from '@mantine/core';
import { describeError } from './describe-error.ts';
import { EmptyState } from './empty-state.tsx';

/** In the place of what could not be fetched. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { title, advice, requestId } = describeError(error);
  const retry = (
    <Button variant="default" onClick={onRetry}>
      Try again
    </Button>
  );
  return (
    <div role="alert">
      <EmptyState icon="warning" title={title} action={retry}>
        {advice}
        {requestId && (
          <>
            <br />
            <small>
              Request <code>{requestId}</code>
            </small>
          </>
        )}
      </EmptyState>
    </div>
  );
}
