import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';

/** What is done on the server at a click. */
export type Act<Answer, Input = void> = Pick<
  UseMutationResult<Answer, Error, Input>,
  'error' | 'isPending' | 'reset'
> & { mutate: (input: Input) => void };

/**
 * `useMutation` for what a person does once: while an act is under way, another click does nothing. A button that is disabled
 * comes too late for the second half of a double click, because it is drawn after it.
 */
export function useAct<Answer, Input = void>(
  options: Pick<UseMutationOptions<Answer, Error, Input>, 'mutationFn' | 'onSuccess' | 'onError'>,
): Act<Answer, Input> {
  const isUnderWay = useRef(false);
  const mutation = useMutation(options);
  const { error, isPending, status, submittedAt, mutate, reset } = mutation;
  // Only once the answer is drawn: until then the button that was clicked, or the dialog around it, is still there.
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
