import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';

/**
 * The error of what could never be read, or null. It stays while it is read again: the query itself forgets it at each poll, and the page
 * would change between the error and its placeholders.
 */
export function useSteadyError({
  data,
  error,
  isPlaceholderData,
  errorUpdateCount,
}: UseQueryResult<unknown>): Error | null {
  const [last, setLast] = useState(error);
  if (error !== null && error !== last) setLast(error);
  const isUnread = data === undefined || isPlaceholderData;
  return error ?? (isUnread && errorUpdateCount > 0 ? last : null);
}
