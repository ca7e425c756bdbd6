import { Box, Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Content } from '../../api/schema.ts';
import { CodeBlock } from '../../components/copying.tsx';
import { RawKeyPanel } from '../../components/raw-key-panel.tsx';
import { curlSnippet, encryptSnippet, playerSnippet, shownCurlSnippet } from '../../components/snippets.ts';
import { useServerForm } from '../../components/use-server-form.tsx';
import { useApi, useApp } from '../../session/app-context.ts';
import { Entrance } from '../../shell/entrance.tsx';
import { faultsOf } from '../content/content-form.ts';
import { ClaimStep, type IssuedApiKey, type SetupState } from './claim-step.tsx';
import { StepFrame, StepList } from './step-frame.tsx';

interface SetupPageProps {
  /** The latest known state. This page or somebody else may have claimed the server since. */
  server: SetupState;
  onDone: () => void;
}

/** The setup wizard: claims the server, shows the key, registers a first content and shows how to fetch its key. */
export default function SetupPage({ server, onDone }: SetupPageProps) {
  const { session } = useApp();
  const [issued, setIssued] = useState<IssuedApiKey | null>(null);
  const rawKey = issued?.raw_key ?? '';
  const [isStored, setStored] = useState(false);
  const [content, setContent] = useState<Content | null>(null);
  // Ends the wizard and signs in with the new key.
  const enter = () => {
    if (issued) session.continueWith(rawKey, issued.api_key);
    onDone();
  };
  const step = issued === null ? 0 : !isStored ? 1 : content === null ? 2 : 3;
  return (
    <Entrance isWide>
      <StepList current={step} />
      {step === 0 && <ClaimStep server={server} onClaimed={setIssued} onTaken={onDone} />}
      {step === 1 && (
        <StepFrame
          title="Store your key"
          lead="The key is shown only now: the server stores a hash of it. Put it into a password manager. Anyone who has it can manage the server."
        >
          <RawKeyPanel
            rawKey={rawKey}
            fileName="latchkey-admin-key"
            action="Continue"
            onStored={() => setStored(true)}
          />
        </StepFrame>
      )}
      {step === 2 && issued && <ContentStep rawKey={rawKey} onRegistered={setContent} onSkip={enter} />}
      {step === 3 && issued && content && <TryStep contentId={content.id} rawKey={rawKey} onDone={enter} />}
    </Entrance>
  );
}

interface ContentStepProps {
  rawKey: string;
  onRegistered: (content: Content) => void;
  onSkip: () => void;
}

/** Registers the first content with the new key. */
function ContentStep({ rawKey, onRegistered, onSkip }: ContentStepProps) {
  const api = useApi();
  const form = useServerForm({
    initialValues: { name: 'My first film', id: 'my-first-film' },
    validate: { name: (name) => name.trim() === '' && 'Enter a name.' },
    // After a lost answer the same ID is registered again, so it may exist already.
    mutationFn: ({ name, id }) => {
      const body = { name: name.trim(), ...(id.trim() && { id: id.trim() }) };
      return api.call('post', '/api/v1/content', { body, credential: rawKey });
    },
    faultsOf,
    onSuccess: ({ content }) => onRegistered(content),
  });
  return (
    <StepFrame
      title="Register a first content"
      lead="A content is a video with its own keys. Its ID is part of the key URL and cannot be changed later."
    >
      <form onSubmit={form.submit} noValidate>
        <Stack gap="1.25rem">
          <TextInput {...form.getInputProps('name')} label="Name" maxLength={200} />
          <TextInput
            {...form.getInputProps('id')}
            label="ID"
            description="Letters, digits, - and _. Leave it empty for a random ID."
          />
          {form.errors.notice}
          <Group gap="0.625rem">
            <Button type="submit" loading={form.isPending}>
              Register the content
            </Button>
            <Button variant="subtle" onClick={onSkip}>
              Skip, to the dashboard
            </Button>
          </Group>
        </Stack>
      </form>
    </StepFrame>
  );
}

/** Commands for this server, ready to run. */
function TryStep({ contentId, rawKey, onDone }: { contentId: string; rawKey: string; onDone: () => void }) {
  const facts = { serverUrl: useApp().serverUrl, contentId, rawKey };
  return (
    <StepFrame
      title="Fetch its key"
      lead="Your server is ready. The first command works as it is. The others name what you fill in."
    >
      <Stack gap="0.5rem">
        <h2>The content key</h2>
        <Box component="p" c="dimmed" mb="0.25rem">
          The 16-byte key that players get. The copied command contains your full API key.
        </Box>
        <CodeBlock what="curl command" text={shownCurlSnippet(facts)} copied={curlSnippet(facts)} />
      </Stack>
      <Stack gap="0.5rem">
        <h2>Encrypt a video</h2>
        <Box component="p" c="dimmed" mb="0.25rem">
          Turns a clear HLS playlist into an encrypted one, with a new key every ten segments. Run it in the
          Latchkey folder, with your own playlist in place of <code>video/master.m3u8</code>.
        </Box>
        <CodeBlock what="encrypt command" text={encryptSnippet(facts)} />
      </Stack>
      <Stack gap="0.5rem">
        <h2>Play it</h2>
        <Box component="p" c="dimmed" mb="0.25rem">
          Replace two values: the URL of the encrypted playlist, and <code>/viewer-token</code>, where your
          application returns a JWT that it has signed for the viewer. Never put an API key into a player. Add
          the origin of your page to <code>CORS_ORIGINS</code>.
        </Box>
        <CodeBlock what="player snippet" text={playerSnippet(facts)} />
      </Stack>
      <div>
        <Button size="md" onClick={onDone}>
          Go to the dashboard
        </Button>
      </div>
    </StepFrame>
  );
}
