import { ActionIcon, Menu } from '@mantine/core';
import { useLocation } from 'wouter';
import { readContent } from '../../api/contents.ts';
import type { Content } from '../../api/resources.ts';
import { Icon } from '../../components/icon.tsx';
import { useCopy } from '../../components/use-copy.ts';
import { useApi } from '../../session/app-context.ts';
import type { BeginAct } from './act.ts';
import { keyUrlOf } from './key-facts.ts';
import { useManagement } from './use-management.ts';

/** What can be done with one content. */
export function ContentMenu({ content, begin }: { content: Content; begin: BeginAct }) {
  const api = useApi();
  const [, navigate] = useLocation();
  const { copy } = useCopy();
  const { mayManage, enable } = useManagement();
  const { id, name, status } = content;
  const copyKeyUrl = () =>
    readContent(api, id).then(
      ({ key_endpoint }) => copy(keyUrlOf(key_endpoint, window.location.origin, null), 'Key URL'),
      // There it says what is wrong.
      () => navigate(`/content/${id}`),
    );
  return (
    <Menu position="bottom-end" width="12rem">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="info" size={17} />} onClick={() => navigate(`/content/${id}`)}>
          Details
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="copy" size={17} />} onClick={copyKeyUrl}>
          Copy key URL
        </Menu.Item>
        {mayManage && (
          <Menu.Item
            leftSection={<Icon name="pencil" size={17} />}
            onClick={() => begin({ kind: 'edit', content })}
          >
            Edit…
          </Menu.Item>
        )}
        {mayManage && status === 'active' && (
          <Menu.Item
            color="bad"
            leftSection={<Icon name="stop" size={17} />}
            onClick={() => begin({ kind: 'disable', content })}
          >
            Disable…
          </Menu.Item>
        )}
        {mayManage && status === 'disabled' && (
          <Menu.Item leftSection={<Icon name="check" size={17} />} onClick={() => enable.mutate(id)}>
            Enable
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
