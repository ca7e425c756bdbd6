import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app.tsx';
import { createParts } from './create-parts.ts';
import { reloadWhenReplaced } from './reload-when-replaced.ts';
import { AppContext } from './session/app-context.ts';
import './styles/mantine.css';
import './styles/tokens.css';
import './styles/base.css';
import { createSchemeManager, theme } from './theme.ts';

const { queries, parts } = createParts(window);
const schemeManager = createSchemeManager();
reloadWhenReplaced(window);

// Mantine would write its variables and classes into <style> elements, which the page's policy forbids. tokens.css has the
// variables.
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={schemeManager}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queries}>
        <AppContext value={parts}>
          <Router base="/admin">
            <App />
          </Router>
        </AppContext>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
