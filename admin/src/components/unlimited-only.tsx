import type { ReactNode } from 'react';
import { useCurrentApiKey } from '../session/app-context.ts';
import { may } from '../session/permissions.ts';

/** For what the server refuses to an API key of some contents, such as the audit. Nothing of it is drawn or read for such a key. */
export function UnlimitedOnly({ children }: { children: ReactNode }) {
  return may(useCurrentApiKey(), 'whole-server') && children;
}
