import { changeContent } from '../../api/contents.ts';
import type { Content } from '../../api/resources.ts';
import { describeError } from '../../components/describe-error.ts';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may } from '../../session/permissions.ts';
import { type Act, useAct } from '../../state/use-act.ts';
import { useContentChanged } from './use-content-changed.ts';

export interface Management {
  /** Whether the key that is signed in may change content; one that may not is shown no buttons for it. */
  mayManage: boolean;
  /** Brings a disabled content back, by its id. */
  enable: Act<Content, string>;
}

export function useManagement(): Management {
  const api = useApi();
  const { announce } = useApp().toasts;
  const { scope } = useCurrentApiKey();
  const changed = useContentChanged();
  const enable = useAct({
    mutationFn: (id: string) => changeContent(api, id, { status: 'active' }),
    onSuccess: (content) => changed(content, 'Content enabled: its keys are given again'),
    onError: (error) => announce(`Enabling the content failed. ${describeError(error, 'act').title}.`),
  });
  return { mayManage: may(scope, 'manage'), enable };
}
