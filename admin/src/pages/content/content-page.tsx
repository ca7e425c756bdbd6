import { Route, Switch } from 'wouter';
import { ContentDetail } from './content-detail.tsx';
import { ContentList } from './content-list.tsx';

/** The list of content, or one content. */
export default function ContentPage() {
  return (
    <Switch>
      <Route path="/content/:id">{({ id }) => <ContentDetail key={id} id={id} />}</Route>
      <Route>
        <ContentList />
      </Route>
    </Switch>
  );
}
