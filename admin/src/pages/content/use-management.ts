import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { changeContent } from '../../api/contents.ts';
import type { Content } from '../../api/resources.ts';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { useContentChanged } from './use-content-changed.ts';

export interface Management {
  /** Whether the key that is signed in may change content; one that may not is shown no buttons for it. */
  mayManage: boolean;
  /** Brings a disabled content back, by its id. */
  enable: UseMutationResult<Content, Error, string>;
}

export function useManagement(): Management {
  const api = useApi();
  const { announce } = useApp().toasts;
  const { scope } = useCurrentApiKey();
  const changed = useContentChanged();
  const enable = useMutation({
    mutationFn: (id: string) => changeContent(api, id, { status: 'active' }),
    onSuccess: (content) => changed(content, 'Content enabled: its keys are given again'),
    onError: () => announce('The content could not be enabled'),
  });
  return { mayManage: may(scope, 'manage'), enable };
}
