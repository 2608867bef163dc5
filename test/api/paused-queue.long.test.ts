// The same with a campaign of twenty thousand behind the paused template.
import { vi } from 'vitest';
import { pausedQueue } from './paused-queue.suite.ts';

vi.setConfig({ hookTimeout: 60_000 });
pausedQueue(20_000, 120_000);
