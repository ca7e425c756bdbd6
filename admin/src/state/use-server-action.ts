import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';

/** A change on the server that a click starts. */
export type ServerAction<Answer, Input = void> = Pick<
  UseMutationResult<Answer, Error, Input>,
  'error' | 'isPending' | 'reset'
> & { mutate: (input: Input) => void };

/**
 * `useMutation` for actions of a person: while one is running, another click does nothing. Disabling the button is too late for a
 * double click, because React draws the disabled button after the second click.
 */
export function useServerAction<Answer, Input = void>(
  options: Pick<UseMutationOptions<Answer, Error, Input>, 'mutationFn' | 'onSuccess' | 'onError'>,
): ServerAction<Answer, Input> {
  const isUnderWay = useRef(false);
  // The input of signing in and the answer of creating a key are secrets: they are dropped with the component, not 5 minutes later.
  const mutation = useMutation({ ...options, gcTime: 0 });
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
