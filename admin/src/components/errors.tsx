import { Button } from '@mantine/core';
import { describeError, type Purpose } from './describe-error.ts';
import { EmptyState } from './empty-state.tsx';
import { Notice } from './notice.tsx';

/** What an act has ended with, beside the button that began it. Nothing where there is no error. */
export function ErrorNotice({ error, purpose = 'act' }: { error: unknown; purpose?: Purpose }) {
  if (error === null || error === undefined) return null;
  const { title, advice, requestId } = describeError(error, purpose);
  return (
    <Notice kind="bad" title={title} role="alert">
      {advice}
      {requestId && (
        <>
          {' '}
          <small>
            Request <code>{requestId}</code>
          </small>
        </>
      )}
    </Notice>
  );
}

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
