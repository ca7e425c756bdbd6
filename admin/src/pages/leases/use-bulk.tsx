import { type ReactNode, useCallback, useState } from 'react';
import type { Lease } from '../../api/schema.ts';
import { BulkRevokeDialog, type BulkTarget, PasteDialog } from './bulk-dialogs.tsx';
import type { Selection } from './lease-columns.tsx';

interface Bulk {
  selection: Selection;
  /** Chooses every lease of the page that is not revoked, or none. */
  toggleAll: () => void;
  /** How many leases of the page can be chosen. */
  choosable: number;
  /** How many shown leases are chosen. */
  chosen: number;
  paste: () => void;
  revokeChosen: () => void;
  /** The open dialog. */
  dialog: ReactNode;
}

/** Revoking several at once: the leases that are chosen on the present page of the list, or a pasted list of viewers. */
export function useBulk(rows: readonly Lease[] | undefined): Bulk {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<'paste' | BulkTarget[] | null>(null);
  const toggle = useCallback(
    ({ id }: Lease) =>
      setIds((before) => {
        const after = new Set(before);
        if (!after.delete(id)) after.add(id);
        return after;
      }),
    [],
  );
  const choosable = (rows ?? []).filter(({ state }) => state !== 'revoked');
  const chosen = choosable.filter(({ id }) => ids.has(id));
  const end = () => {
    setOpen(null);
    setIds(new Set());
  };
  return {
    selection: { ids, toggle },
    toggleAll: () => setIds(new Set(chosen.length < choosable.length ? choosable.map(({ id }) => id) : [])),
    choosable: choosable.length,
    chosen: chosen.length,
    paste: () => setOpen('paste'),
    revokeChosen: () => setOpen(chosen.map(toTarget)),
    dialog:
      open === 'paste' ? (
        <PasteDialog onList={setOpen} onClose={() => setOpen(null)} />
      ) : (
        open && <BulkRevokeDialog targets={open} onClose={end} />
      ),
  };
}

function toTarget({ id, viewerId, contentId }: Lease): BulkTarget {
  return { label: `${viewerId} on ${contentId}`, target: { leaseId: id } };
}
