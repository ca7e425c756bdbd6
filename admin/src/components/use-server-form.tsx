import { type FormErrors, type FormValidateInput, type UseFormReturnType, useForm } from '@mantine/form';
import type { FormEvent } from 'react';
import { fieldFaultsOf } from '../api/api-error.ts';
import { type ActionOptions, type ServerAction, useServerAction } from '../state/use-server-action.ts';
import { ErrorNotice } from './errors.tsx';

interface ServerFormOptions<Values, Answer> extends ActionOptions<Answer, Values> {
  initialValues: Values;
  /** The faults that are found without the server. */
  validate: FormValidateInput<Values>;
  /** The faults that an error of the server names, by the paths of fields. Default: its messages. */
  faultsOf?: (error: Error) => FormErrors;
}

/** Its fields need no `key`: once a field is shown, only its user changes it. */
export interface ServerForm<out Values>
  extends Pick<ServerAction<unknown>, 'error' | 'isPending'>,
    Pick<
      UseFormReturnType<Values>,
      'errors' | 'getInputProps' | 'getValues' | 'setFieldValue' | 'useWatchValue'
    > {
  /** For `onSubmit` of the form. */
  submit: (event: FormEvent<HTMLFormElement>) => void;
}

/**
 * The state of a form that changes something on the server. After each attempt the first invalid field gets the focus.
 * An error of the server is shown at its fields. `errors.notice` is the error that belongs to no field.
 */
export function useServerForm<Values extends Record<string, unknown>, Answer>({
  initialValues,
  validate,
  faultsOf = fieldFaultsOf,
  onError,
  ...action
}: ServerFormOptions<Values, Answer>): ServerForm<Values> {
  const form = useForm<Values>({
    mode: 'uncontrolled',
    initialValues,
    validate,
    enhanceGetInputProps: ({ field }) => ({ name: String(field).replaceAll('.', '/') }),
  });
  const { error, isPending, mutate } = useServerAction<Answer, Values>({
    ...action,
    onError(refusal, ...rest) {
      const faults = faultsOf(refusal);
      form.setErrors(focusFault(form, faults) ? faults : { notice: <ErrorNotice error={refusal} /> });
      return onError?.(refusal, ...rest);
    },
  });
  return { ...form, error, isPending, submit: form.onSubmit(mutate, (faults) => focusFault(form, faults)) };
}

/** Moves the focus to the field with a fault that comes first on the page, in whatever order the server names them. @returns false if no field has one */
export function focusFault(
  form: { getInputNode: (path: string) => HTMLElement | null },
  faults: FormErrors,
): boolean {
  const nodes = Object.keys(faults).flatMap((path) => (faults[path] && form.getInputNode(path)) || []);
  const [field] = nodes.sort((a, b) =>
    a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  );
  field?.focus();
  return field !== undefined;
}
