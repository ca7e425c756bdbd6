import { Box, Button, Group, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Lease } from '../../api/schema.ts';
import { describeError } from '../../components/describe-error.ts';
import { Dialog, DialogActions, FormDialog, TypedConfirmation } from '../../components/dialog.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { useApi } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { ReasonField, toRequest } from './describe-revocation.tsx';
import type { Selection } from './lease-columns.tsx';
import styles from './leases.module.css';
import { NotCounted, useCounts } from './revoke-dialog.tsx';
import { mostTargets, type Progress, readList, revokeInTurn } from './revoke-in-turn.ts';

/** One of several that are revoked: a lease, or all leases of a viewer. */
type BulkSubject = { lease: Lease } | { viewerId: string };

/** Revoking several at once: the leases that are chosen on the present page of the list, or a pasted list of viewers. */
export function useBulk(rows: readonly Lease[] = []) {
  const [ids, setIds] = useState<readonly string[]>([]);
  const [open, setOpen] = useState<'paste' | readonly BulkSubject[] | null>(null);
  const selection = useMemo<Selection>(() => {
    const toggle = ({ id }: Lease) =>
      setIds(ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]);
    return { ids, toggle };
  }, [ids]);
  const choosable = rows.filter(({ state }) => state !== 'revoked');
  const chosen = choosable.filter(({ id }) => ids.includes(id));
  const areAllChosen = chosen.length === choosable.length;
  const end = () => {
    setOpen(null);
    setIds([]);
  };
  return {
    selection,
    /** Chooses every lease of the page that is not revoked, or none, and revokes the chosen ones. */
    controls: (
      <>
        <Group component="label" gap="0.375rem" c="dimmed" fz="sm">
          <input
            type="checkbox"
            className={styles.select}
            checked={chosen.length > 0 && areAllChosen}
            disabled={choosable.length === 0}
            onChange={() => setIds(areAllChosen ? [] : choosable.map(({ id }) => id))}
          />
          Select this page
        </Group>
        {chosen.length > 0 && (
          <Button
            size="compact-md"
            variant="light"
            color="bad"
            aria-label={`Revoke ${countOf(chosen.length, 'selected lease')}…`}
            onClick={() => setOpen(chosen.map((lease) => ({ lease })))}
          >
            Revoke {chosen.length}…
          </Button>
        )}
      </>
    ),
    paste: () => setOpen('paste'),
    /** The open dialog. */
    dialog:
      open === 'paste' ? (
        <PasteDialog onList={setOpen} onClose={() => setOpen(null)} />
      ) : (
        open && <BulkRevokeDialog subjects={open} onClose={end} />
      ),
  };
}

/** Asks for a list of viewers, and passes it on. */
function PasteDialog({ onList, onClose }: { onList: (list: BulkSubject[]) => void; onClose: () => void }) {
  const form = useForm({ initialValues: { list: '' }, validate: { list: findFault } });
  const submit = form.onSubmit(({ list }) => onList(readList(list).map((viewerId) => ({ viewerId }))));
  return (
    <FormDialog
      title="Revoke a list of viewers"
      width="34rem"
      action="Continue"
      form={{ ...form, submit, isPending: false }}
      onClose={onClose}
    >
      <Textarea
        {...form.getInputProps('list')}
        data-names="lines"
        label="Viewer IDs"
        description="One a line. The active leases are counted before anything is revoked."
        autosize
        minRows={6}
        maxRows={14}
        data-autofocus
      />
    </FormDialog>
  );
}

function findFault(list: string): string | null {
  const { length } = readList(list);
  if (length === 0) return 'Enter at least one ID.';
  return length > mostTargets ? `${countOf(length, 'ID')}: at most ${mostTargets} at a time.` : null;
}

interface BulkRevokeDialogProps {
  subjects: readonly BulkSubject[];
  onClose: () => void;
}

/** Counts what a list would end, then revokes one after the other and shows what failed. */
function BulkRevokeDialog({ subjects, onClose }: BulkRevokeDialogProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { reason: '' } });
  const { data: counts, error } = useCounts(subjects);
  const run = useRun(() => form.getValues().reason);
  const { progress } = run;
  if (progress) return <RunDialog {...{ run, progress, onClose }} total={subjects.length} />;
  const areViewers = subjects.every((subject) => 'viewerId' in subject);
  const action = `Revoke ${countOf(subjects.length, areViewers ? 'viewer' : 'lease')}`;
  return (
    <TypedConfirmation
      title={`${action}?`}
      width="34rem"
      fields={<ReasonField form={form} />}
      // If counting fails, an admin can still revoke in an emergency.
      expected={counts || error ? String(subjects.length) : undefined}
      action={action}
      act={run}
      onConfirm={() => run.mutate(subjects)}
      onClose={onClose}
    >
      {areViewers
        ? 'Every lease of these viewers ends, and tokens issued to them until now are refused.'
        : 'These leases end. Their viewers need newer tokens for these contents.'}
      {areViewers && (error || !counts ? <NotCounted error={error} /> : <CountNotice counts={counts} />)}
    </TypedConfirmation>
  );
}

/** The active leases that the revocation of the listed viewers would end. */
function CountNotice({ counts }: { counts: readonly number[] }) {
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

/** Revokes one after the other. Leaving the page stops it. */
function useRun(reasonOf: () => string) {
  const api = useApi();
  const [progress, setProgress] = useState<Progress<BulkSubject> | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = useServerAction({
    mutationFn(subjects: readonly BulkSubject[]) {
      running.current = new AbortController();
      setProgress({ done: 0, revoked: 0, failed: [] });
      return revokeInTurn(subjects, {
        revoke: (subject) =>
          api.call('post', '/keys/leases/revoke', { body: toRequest(subject, reasonOf()) }),
        onProgress: setProgress,
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        signal: running.current.signal,
      });
    },
    changes: ['/api/v1/leases'],
  });
  return { ...run, progress, stop: () => running.current?.abort() };
}

interface RunDialogProps {
  run: ReturnType<typeof useRun>;
  progress: Progress<BulkSubject>;
  total: number;
  onClose: () => void;
}

function RunDialog({ run, progress: { done, revoked, failed }, total, onClose }: RunDialogProps) {
  const { isPending, mutate, stop } = run;
  return (
    <Dialog
      title={isPending ? 'Revoking…' : 'Revoked'}
      width="34rem"
      isClosable={!isPending}
      onClose={onClose}
    >
      <progress style={{ width: '100%' }} value={done} max={total} aria-label="Progress" />
      <p role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {`${done} of ${total} · ${countOf(revoked, 'lease')} revoked`}
      </p>
      {failed.length > 0 && (
        <Notice kind="bad" title={`${failed.length} could not be revoked`}>
          <Box component="ul" mah="12rem" pl="1.125rem" style={{ listStyle: 'disc', overflow: 'auto' }}>
            {failed.map(({ target, error }) => (
              <li key={nameOf(target)}>
                <OutsideText text={nameOf(target)} />: {describeError(error).title}
              </li>
            ))}
          </Box>
        </Notice>
      )}
      <DialogActions>
        {isPending && (
          <Button variant="default" onClick={stop}>
            Stop
          </Button>
        )}
        {!isPending && failed.length > 0 && (
          <Button color="bad" onClick={() => mutate(failed.map(({ target }) => target))}>
            Try these again
          </Button>
        )}
        {!isPending && <Button onClick={onClose}>Done</Button>}
      </DialogActions>
    </Dialog>
  );
}

function nameOf(subject: BulkSubject): string {
  return 'lease' in subject ? `${subject.lease.viewerId} on ${subject.lease.contentId}` : subject.viewerId;
}
