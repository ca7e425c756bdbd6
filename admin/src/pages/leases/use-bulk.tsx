import { Button, Group } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Lease } from '../../api/schema.ts';
import { countOf } from '../../components/format-numbers.ts';
import { BulkRevokeDialog, type BulkSubject, PasteDialog } from './bulk-dialogs.tsx';
import type { Selection } from './lease-columns.tsx';
import styles from './leases.module.css';

/** Revoking several at once: the leases that are chosen on the present page of the list, or a pasted list of viewers. */
export function useBulk(rows: readonly Lease[] = []) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<'paste' | readonly BulkSubject[] | null>(null);
  const selection = useMemo<Selection>(() => {
    const toggle = ({ id }: Lease) => {
      const after = new Set(ids);
      if (!after.delete(id)) after.add(id);
      setIds(after);
    };
    return { ids, toggle };
  }, [ids]);
  const choosable = rows.filter(({ state }) => state !== 'revoked');
  const chosen = choosable.filter(({ id }) => ids.has(id));
  const areAllChosen = chosen.length === choosable.length;
  const end = () => {
    setOpen(null);
    setIds(new Set());
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
            onChange={() => setIds(new Set(areAllChosen ? [] : choosable.map(({ id }) => id)))}
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
