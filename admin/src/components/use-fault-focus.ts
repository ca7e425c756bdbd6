import { type RefObject, useEffect, useRef } from 'react';

/**
 * Leads to the first field that is wrong.
 *
 * @param findings another object each time that the fields were judged: what the page found, the error of the server
 * @returns for the form
 */
export function useFaultFocus(...findings: [unknown, unknown?]): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  const [first, second] = findings;
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [first, second]);
  return form;
}
