import {
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { keyOf, type PathOf } from '../api/api.ts';
import { useApp } from '../session/app-context.ts';

/** A change on the server that a click starts. */
export type ServerAction<Answer, Input = void> = Pick<
  UseMutationResult<Answer, Error, Input>,
  'error' | 'isPending' | 'reset'
> & { mutate: (input: Input) => void };

export interface ActionOptions<Answer, Input>
  extends Pick<UseMutationOptions<Answer, Error, Input>, 'mutationFn' | 'onError'> {
  onSuccess?: (answer: Answer) => unknown;
  /** Paths of the API whose resources it changes: all reads of these resources are repeated. */
  changes?: readonly PathOf<'get'>[];
  /** Announced when it is done; null for nothing. */
  said?: string | ((answer: Answer) => string | null);
}

/**
 * `useMutation` for actions of a person: while one is running, another click does nothing. Disabling the button is too late for a
 * double click, because React draws the disabled button after the second click.
 */
export function useServerAction<Answer, Input = void>({
  onSuccess,
  changes = [],
  said,
  ...options
}: ActionOptions<Answer, Input>): ServerAction<Answer, Input> {
  const queries = useQueryClient();
  const { announce } = useApp().toasts;
  const isUnderWay = useRef(false);
  const mutation = useMutation({
    ...options,
    // The input of signing in and the answer of creating a key are secrets: they are dropped with the component, not 5 minutes later.
    gcTime: 0,
    onSuccess(answer) {
      const done = onSuccess?.(answer);
      for (const path of changes) void queries.invalidateQueries({ queryKey: keyOf(path) });
      const words = typeof said === 'function' ? said(answer) : said;
      if (words) announce(words);
      return done;
    },
  });
  const { error, isPending, status, submittedAt, mutate, reset } = mutation;
  // Reset only after the answer is drawn: until then the clicked button, or its dialog, is still there.
  useEffect(() => {
    if (status !== 'pending') isUnderWay.current = false;
  }, [status, submittedAt]);
  const begin = useCallback(
    (input: Input) => {
      if (isUnderWay.current) return;
      isUnderWay.current = true;
      mutate(input);
    },
    [mutate],
  );
  const forget = useCallback(() => {
    if (!isUnderWay.current) reset();
  }, [reset]);
  return { error, isPending, mutate: begin, reset: forget };
}
