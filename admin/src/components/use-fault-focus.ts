import { type RefObject, useEffect, useRef } from 'react';

/**
 * Moves the focus to the first invalid field.
 *
 * @param findings a new object after each validation: the page's own findings, the error of the server
 * @returns the ref for the form
 */
export function useFaultFocus(...findings: [unknown, unknown?]): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  const [first, second] = findings;
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [first, second]);
  return form;
}
