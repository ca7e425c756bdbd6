// For other packages that simulate replicas which follow the change feed.
export { actCount, type Committed, items, markOf, SimulatedOwner } from './simulated-owner.fixture.ts';
export { SimulatedReplica } from './simulated-replica.fixture.ts';
