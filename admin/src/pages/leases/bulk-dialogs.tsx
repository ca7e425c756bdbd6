import { Box, Button, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { keyOf } from '../../api/api.ts';
import { describeError } from '../../components/describe-error.ts';
import { Dialog, DialogActions, TypedConfirmation } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { useApi } from '../../session/app-context.ts';
import { ReasonField, type RevocationTarget, withReason } from './describe-revocation.tsx';
import { useCounts } from './revoke-dialog.tsx';
import { mostTargets, type Progress, readList, revokeInTurn } from './revoke-in-turn.ts';

/** A target and how it is called. */
export interface BulkTarget {
  label: string;
  target: RevocationTarget;
}

/** Asks for a list of viewers, and passes it on. */
export function PasteDialog({
  onList,
  onClose,
}: {
  onList: (list: BulkTarget[]) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [isAsked, setAsked] = useState(false);
  const ids = readList(text);
  const fault =
    ids.length === 0
      ? 'Enter at least one ID.'
      : ids.length > mostTargets
        ? `${countOf(ids.length, 'ID')}: at most ${mostTargets} at a time.`
        : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (fault === null) onList(ids.map((viewerId) => ({ label: viewerId, target: { viewerId } })));
  };
  return (
    <Dialog title="Revoke a list of viewers" width="34rem" onClose={onClose}>
      <form onSubmit={submit}>
        <Textarea
          data-names="lines"
          label="Viewer IDs"
          description="One a line. The active leases are counted before anything is revoked."
          autosize
          minRows={6}
          maxRows={14}
          value={text}
          error={isAsked && fault}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
        />
        <DialogActions onCancel={onClose}>
          <Button type="submit">Continue</Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Counts what a list of targets would end, then revokes one after the other and shows what failed. */
export function BulkRevokeDialog({
  targets,
  onClose,
}: {
  targets: readonly BulkTarget[];
  onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const { data: counts, error } = useCounts(targets.map(({ target }) => target));
  const run = useRun(reason);
  if (run.progress) return <RunDialog run={run} total={targets.length} onClose={onClose} />;
  const areViewers = targets.every(({ target }) => 'viewerId' in target);
  const noun = areViewers ? 'viewer' : 'lease';
  return (
    <TypedConfirmation
      title={`Revoke ${countOf(targets.length, noun)}?`}
      width="34rem"
      fields={<ReasonField value={reason} onChange={setReason} />}
      // If counting fails, an admin can still revoke in an emergency.
      expected={counts || error ? String(targets.length) : undefined}
      action={`Revoke ${countOf(targets.length, noun)}`}
      act={{ isPending: false, error: null }}
      onConfirm={() => run.begin(targets)}
      onClose={onClose}
    >
      {areViewers
        ? 'Every lease of these viewers ends, and tokens issued to them until now are refused.'
        : 'These leases end. Their viewers need newer tokens for these contents.'}
      {areViewers && <CountNotice counts={counts} error={error} />}
    </TypedConfirmation>
  );
}

/** The active leases that the revocation of the listed viewers would end. */
function CountNotice({ counts, error }: { counts: readonly number[] | undefined; error: unknown }) {
  if (error) return <ErrorNotice error={error} purpose="shown" />;
  if (!counts) return <Notice role="status">Counting the leases…</Notice>;
  const active = counts.reduce((sum, each) => sum + each, 0);
  const viewers = counts.filter((each) => each > 0).length;
  return (
    <Notice kind="bad" role="status" title={`${countOf(active, 'active lease')} will end`}>
      {viewers === 0
        ? 'None of them has an active lease.'
        : `${countOf(viewers, 'viewer')} of the list ${viewers === 1 ? 'has' : 'have'} some.`}
    </Notice>
  );
}

function useRun(reason: string) {
  const api = useApi();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<Progress<BulkTarget> | null>(null);
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const begin = async (targets: readonly BulkTarget[]) => {
    const controller = new AbortController();
    running.current = controller;
    setRunning(true);
    setProgress({ done: 0, revoked: 0, failed: [] });
    await revokeInTurn(targets, {
      revoke: ({ target }) => api.call('post', '/keys/leases/revoke', { body: withReason(target, reason) }),
      onProgress: setProgress,
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      signal: controller.signal,
    });
    setRunning(false);
    void queries.invalidateQueries({ queryKey: keyOf('/api/v1/leases') });
  };
  return {
    progress,
    isRunning,
    begin: (targets: readonly BulkTarget[]) => void begin(targets),
    stop: () => running.current?.abort(),
  };
}

interface RunDialogProps {
  run: ReturnType<typeof useRun>;
  total: number;
  onClose: () => void;
}

function RunDialog({ run: { progress, isRunning, begin, stop }, total, onClose }: RunDialogProps) {
  const { done = 0, revoked = 0, failed = [] } = progress ?? {};
  const words = `${done} of ${total} · ${countOf(revoked, 'lease')} revoked`;
  return (
    <Dialog
      title={isRunning ? 'Revoking…' : 'Revoked'}
      width="34rem"
      isClosable={!isRunning}
      onClose={onClose}
    >
      <progress style={{ width: '100%' }} value={done} max={total} aria-label="Progress" />
      <p role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {words}
      </p>
      {failed.length > 0 && (
        <Notice kind="bad" title={`${failed.length} could not be revoked`}>
          <Box component="ul" mah="12rem" pl="1.125rem" style={{ listStyle: 'disc', overflow: 'auto' }}>
            {failed.map(({ target: { label }, error }) => (
              <li key={label}>
                <OutsideText text={label} />: {describeError(error).title}
              </li>
            ))}
          </Box>
        </Notice>
      )}
      <DialogActions>
        {isRunning && (
          <Button variant="default" onClick={stop}>
            Stop
          </Button>
        )}
        {!isRunning && failed.length > 0 && (
          <Button color="bad" onClick={() => begin(failed.map(({ target }) => target))}>
            Try these again
          </Button>
        )}
        {!isRunning && <Button onClick={onClose}>Done</Button>}
      </DialogActions>
    </Dialog>
  );
}
