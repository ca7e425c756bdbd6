import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Content } from '../../api/resources.ts';
import { Icon } from '../../components/icon.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { Act } from './act.ts';
import { ActDialog } from './act-dialog.tsx';
import styles from './content.module.css';
import { ContentFacts } from './content-facts.tsx';
import { ContentLeases } from './content-leases.tsx';
import { KeyCard } from './key-card.tsx';
import { useManagement } from './use-management.ts';

/** Everything about one content, and what can be done with it. */
export function ContentSheet({ content, keyEndpoint }: { content: Content; keyEndpoint: string }) {
  const { mayManage, enable } = useManagement();
  const [act, setAct] = useState<Act | null>(null);
  const isActive = content.status === 'active';
  return (
    <>
      <PageHead
        title={content.name}
        actions={
          mayManage && (
            <>
              <Button
                variant="default"
                leftSection={<Icon name="pencil" size={17} />}
                onClick={() => setAct({ kind: 'edit', content })}
              >
                Edit…
              </Button>
              {isActive ? (
                <Button variant="light" color="bad" onClick={() => setAct({ kind: 'disable', content })}>
                  Disable…
                </Button>
              ) : (
                <Button onClick={() => enable.mutate(content.id)} loading={enable.isPending}>
                  Enable
                </Button>
              )}
            </>
          )
        }
      />
      {!isActive && (
        <div className={styles.notice}>
          <Notice kind="warning" title="This content is disabled">
            Its keys answer 404, for every viewer. Enabled again, it has the same keys as before.
          </Notice>
        </div>
      )}
      <div className={styles.columns}>
        <KeyCard content={content} keyEndpoint={keyEndpoint} />
        <ContentFacts content={content} />
      </div>
      {mayManage && <ContentLeases contentId={content.id} />}
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </>
  );
}
