import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { EmptyState } from '../components/empty-state.tsx';

/** Keeps the frame standing where a page breaks. */
export class PageBoundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    const reload = <Button onClick={() => window.location.reload()}>Load the page again</Button>;
    return (
      <div role="alert">
        <EmptyState icon="warning" title="This page could not be shown" action={reload}>
          It broke while being drawn or fetched. Nothing on the server was changed by that.
        </EmptyState>
      </div>
    );
  }
}
