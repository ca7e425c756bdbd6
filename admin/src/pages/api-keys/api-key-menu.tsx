import { ActionIcon, Menu } from '@mantine/core';
import type { ApiKey } from '../../api/resources.ts';
import { Icon } from '../../components/icon.tsx';
import type { Begin } from './act.ts';
import { isUsable, type ShownStatus } from './api-key-status.ts';

export interface ApiKeyMenuProps {
  apiKey: ApiKey;
  status: ShownStatus;
  begin: Begin;
}

/** What can be done with one key. */
export function ApiKeyMenu({ apiKey, status, begin }: ApiKeyMenuProps) {
  return (
    <Menu position="bottom-end" width="11rem">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${apiKey.name}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Icon name="info" size={17} />}
          onClick={() => begin({ kind: 'details', apiKey })}
        >
          Details
        </Menu.Item>
        {isUsable(status) && (
          <>
            <Menu.Item
              leftSection={<Icon name="rotate" size={17} />}
              onClick={() => begin({ kind: 'rotate', apiKey })}
            >
              Rotate…
            </Menu.Item>
            <Menu.Item
              color="bad"
              leftSection={<Icon name="stop" size={17} />}
              onClick={() => begin({ kind: 'revoke', apiKey })}
            >
              Revoke…
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
