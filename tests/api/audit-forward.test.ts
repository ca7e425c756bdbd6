import { eventually } from '@latchkey/support/black-box/eventually';
import { expectComplete } from '@latchkey/support/black-box/forwarded-audit';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { startServerToClose } from '@latchkey/support/black-box/target';
import { findFreePort } from '@latchkey/support/find-free-port';
import { describe, expect, it } from 'vitest';
import { createSyslogReceiver } from './syslog-receiver.ts';

describe('the forwarded audit', () => {
  it('a syslog server that is away, silent or breaks off gets every line once it is back, requests go on, and the log says so', async () => {
    const port = await findFreePort();
    const collector = createSyslogReceiver(port);
    const server = await startServerToClose({ AUDIT_FORWARD: `syslog://127.0.0.1:${port}` });
    const warned = () => server.process.stderr().split('the audit could not be forwarded').length - 1;
    const contents: string[] = [];
    const act = async () => contents.push(await registerContent(server));
    const onceReceived = () => eventually(() => expectComplete(collector.messages(), contents));

    await act();
    await eventually(() => expect(warned()).toBeGreaterThan(0));
    await collector.start('reads');
    await onceReceived();
    await collector.stop();
    await act();
    await collector.start('silent');
    await eventually(() => expect(collector.connections()).toBeGreaterThan(0));
    await act();
    expect(collector.messages().map(({ target }) => target)).not.toContain(contents.at(-1));
    // Breaks the connection of the server, too.
    await collector.stop();
    await act();
    await collector.start('reads');
    await onceReceived();
    await server.close();
  }, 240_000);
});
