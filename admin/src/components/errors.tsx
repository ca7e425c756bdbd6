import { Button } from '@mantine/core';
import { describeError, type Purpose } from './describe-error.ts';
import { EmptyState } from './empty-state.tsx';
import { Notice } from './notice.tsx';

/** The error of an action, shown next to its button. Renders nothing without an error. */
export function ErrorNotice({ error, purpose = 'act' }: { error: unknown; purpose?: Purpose }) {
  if (error === null || error === undefined) return null;
  const { title, advice, requestId } = describeError(error, purpose);
  return (
    <Notice kind="bad" title={title} role="alert">
      {advice} <RequestId id={requestId} />
    </Notice>
  );
}

/** Shown in place of data that could not be read. */
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
        {requestId && <br />}
        <RequestId id={requestId} />
      </EmptyState>
    </div>
  );
}

function RequestId({ id }: { id: string | null }) {
  return (
    id && (
      <small>
        Request <code>{id}</code>
      </small>
    )
  );
}
