import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/**
 * An export that can be stopped. Leaving the page stops it as well.
 *
 * @param save reads what is exported, and saves it
 */
export function useExport<Choice = void>(save: (choice: Choice, signal: AbortSignal) => Promise<void>) {
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: (choice: Choice) => {
      running.current = new AbortController();
      return save(choice, running.current.signal);
    },
  });
  const stop = () => {
    running.current?.abort();
    // Nothing is shown of an export that was stopped.
    reset();
  };
  return { begin: mutate, stop, isPending, error };
}
