// A template that the platform pauses while twenty thousand messages of it are queued.
import { vi } from 'vitest';
import { pausedQueue } from './paused-queue.suite.ts';

vi.setConfig({ hookTimeout: 60_000 });
pausedQueue(20_000, 120_000);
