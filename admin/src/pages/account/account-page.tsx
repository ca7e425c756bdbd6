import { Button } from '@mantine/core';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { CopyableValue } from '../../components/copying.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { Notice } from '../../components/notice.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { may, scopeMeanings } from '../../session/permissions.ts';

/** The signed-in key and its permissions. */
export default function AccountPage() {
  const { session } = useApp();
  const apiKey = useCurrentApiKey();
  const { id, name, scope, contents, keyPrefix, createdAt, expiresAt } = apiKey;
  const signOut = (
    <Button variant="default" onClick={() => session.signOut()}>
      Sign out
    </Button>
  );
  return (
    <>
      <PageHead title="Your key" lead="The API key that you are signed in with." actions={signOut} />
      <Card>
        <FactList
          facts={{
            Name: <OutsideText text={name} />,
            Scope: <Badge>{scope}</Badge>,
            Permissions: scopeMeanings[scope],
            Contents: contents ? <OutsideText text={contents.join(', ')} /> : 'all',
            ID:
              id === null ? (
                'none: this is ADMIN_API_KEY from the configuration'
              ) : (
                <CopyableValue text={id} what="ID" />
              ),
            Prefix: keyPrefix && <code>{keyPrefix}</code>,
            Created: createdAt && <RelativeTime at={createdAt} isFocusable />,
            Expires: id !== null && <RelativeTime at={expiresAt} isFocusable />,
          }}
        />
      </Card>
      {!may(apiKey, 'manage') && (
        <Notice title="This key has no management permissions">
          API keys, leases and the audit need scope admin or full.
        </Notice>
      )}
      {contents && (
        <Notice title="This key is limited to some contents">
          For it, no other contents exist. The audit, webhooks, settings and figures of the whole server need
          a key of all contents.
        </Notice>
      )}
    </>
  );
}
