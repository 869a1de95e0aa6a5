import { createRoot } from 'react-dom/client';
import { native } from './api/native';
import { App } from './app/app';
import { show } from './app/settings';
import './style/base.css';

show();
createRoot(document.getElementById('root') as HTMLElement).render(<App />);

// After the frame that holds the first picture.
requestAnimationFrame(() => requestAnimationFrame(() => {
  native().then((desktop) => desktop?.painted()).catch(() => undefined);
}));
