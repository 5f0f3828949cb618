// The three.js scene around the bodies: renderer, lights, ground, camera.
import {
    AmbientLight, Box3, BufferAttribute, BufferGeometry, CanvasTexture, CircleGeometry, DirectionalLight, Group, HemisphereLight,
    LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, OrthographicCamera, PCFShadowMap, PerspectiveCamera, Plane, Quaternion, Scene,
    Vector3, WebGLRenderer, ACESFilmicToneMapping,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Surroundings } from "./materials";
import { STILL, THEMES, type ThemeName } from "./palette";

const GRID = 20; // cells to each side
const SLOW = 0.08; // [s] between two pictures: inertia would last for seconds
const DRAFT_SHADOWS = 1000; // [ms] between two pictures of shadows in drafts
const HEAVY = 300000; // triangles of a picture, with those of shadows
const HOME = new Vector3(0.5, 0.62, 1).normalize(); // from in front and above
// Where the camera stands, seen from what it looks at; y is up.
export const VIEWS = {
    front: [0, 0, 1], back: [0, 0, -1], right: [1, 0, 0], left: [-1, 0, 0], top: [0, 1, 0], bottom: [0, -1, 0],
} as const;
export type ViewName = keyof typeof VIEWS;

// What is on one side of a plane is not drawn. The axis is one of the run's own.
export interface Clip {
    axis: 0 | 1 | 2;
    at: number; // [m] along the axis
    flip: boolean; // keep what is above `at` instead of what is below
}

export class Stage {
    readonly scene = new Scene();
    readonly perspective = new PerspectiveCamera(38, 1, 0.01, 1000);
    readonly parallel = new OrthographicCamera();
    camera: PerspectiveCamera | OrthographicCamera = this.perspective;
    readonly clipped: Plane[] = []; // of the materials of bodies: empty or one
    clip: Clip | null = null;
    draft = false;
    onClip: (on: boolean) => void = () => {};
    moved = false; // the user has moved the camera since it was last fitted
    readonly renderer: WebGLRenderer;
    readonly around: Surroundings;
    readonly controls: OrbitControls;
    readonly root = new Group(); // the run's frame, turned so that "up" is y
    private sun = new DirectionalLight(0xffffff, 2.5);
    private sky = new HemisphereLight(0xffffff, 0x444444, 1.3);
    private fill = new AmbientLight(0xffffff, 0.12);
    private ground: Mesh<CircleGeometry, MeshLambertMaterial>;
    private grid = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    dirty = true; // something is to be drawn
    private shadowsAt = 0; // [ms] when shadows were last drawn
    private halfHeight = 1; // [m] of the orthographic picture at zoom 1
    private radius = 1; // [m] of what matters

    constructor(readonly canvas: HTMLCanvasElement) {
        this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
        this.renderer.info.autoReset = false; // or the draw calls of the shadows would not be counted
        this.around = new Surroundings(this.renderer);
        this.renderer.localClippingEnabled = true;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.autoUpdate = false; // a camera that turns changes no shadow
        this.renderer.shadowMap.type = PCFShadowMap;
        this.renderer.toneMapping = ACESFilmicToneMapping;
        this.renderer.toneMappingExposure = 1.05;
        this.ground = new Mesh(
            new CircleGeometry(1, 64).rotateX(-Math.PI / 2),
            new MeshLambertMaterial({ alphaMap: fadingDisc(), transparent: true, depthWrite: false }),
        );
        this.ground.receiveShadow = true;
        this.ground.renderOrder = -2;
        this.grid.renderOrder = -1;
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(2048, 2048);
        this.sun.shadow.radius = 3.5;
        this.sun.shadow.intensity = 0.85;
        this.scene.add(this.root, this.sun, this.sun.target, this.sky, this.fill, this.ground, this.grid);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.addEventListener("change", () => this.touch());
        this.controls.addEventListener("start", () => (this.moved = true));
    }

    // Bodies or lights have moved: so have shadows.
    touchShadows() {
        this.renderer.shadowMap.needsUpdate = true;
        this.dirty = true;
    }

    // A draft has half as many pixels in each direction.
    setDraft(on: boolean) {
        if (on === this.draft) return;
        this.draft = on;
        this.renderer.setPixelRatio(this.pixelRatio);
        this.touchShadows();
    }

    private get pixelRatio(): number {
        return (this.draft ? 0.5 : 1) * Math.min(2, window.devicePixelRatio);
    }

    // Whether so much is drawn that a picture may take long.
    get isHeavy(): boolean {
        return this.renderer.info.render.triangles > HEAVY;
    }

    // Something changed: draw at the next opportunity.
    touch() {
        this.dirty = true;
    }

    setUp(gravity: [number, number, number]) {
        const up = new Vector3(...gravity).negate();
        if (up.lengthSq() > 0) this.root.quaternion.copy(new Quaternion().setFromUnitVectors(up.normalize(), new Vector3(0, 1, 0)));
        this.root.updateMatrixWorld(true);
    }

    setTheme(name: ThemeName) {
        const theme = THEMES[name];
        this.scene.background = theme.back;
        STILL.set(theme.still);
        this.ground.material.color.copy(theme.ground);
        this.sky.color.set(theme.sky);
        this.sky.groundColor.set(theme.earth);
        this.sky.intensity = theme.ambient;
        this.sun.intensity = theme.key;
        this.fillGrid(theme.grid, theme.gridAlpha);
        this.touch();
    }

    // Lights, ground and grid for what is in `all`, lit best where `main` is; both in world coordinates.
    arrange(all: Box3, main: Box3) {
        const centre = main.getCenter(new Vector3());
        const radius = Math.max(1e-6, main.getSize(new Vector3()).length() / 2);
        this.radius = radius;
        this.controls.minDistance = radius / 400;
        this.controls.maxDistance = radius * 60;
        this.sun.target.position.copy(centre);
        this.sun.position.copy(centre).addScaledVector(new Vector3(0.55, 1, 0.4).normalize(), 3 * radius);
        const camera = this.sun.shadow.camera;
        const reach = 1.25 * radius;
        camera.left = camera.bottom = -reach;
        camera.right = camera.top = reach;
        camera.near = 0.5 * radius;
        camera.far = 6 * radius;
        camera.updateProjectionMatrix();
        this.sun.shadow.normalBias = 0.006 * radius;
        this.sun.shadow.bias = -0.0004;
        this.touchShadows();
        const height = Math.min(all.min.y, main.min.y) - 0.004 * radius;
        this.ground.position.set(centre.x, height, centre.z);
        this.ground.scale.setScalar(7 * radius);
        const cell = 10 ** Math.round(Math.log10(radius / 3));
        this.grid.position.set(Math.round(centre.x / cell) * cell, height, Math.round(centre.z / cell) * cell);
        this.grid.scale.setScalar(cell);
        this.touch();
    }

    // Looks at `box` (world coordinates) from in front and above, or from where the camera is now.
    look(box: Box3, from: "home" | "here" = "home") {
        const centre = box.getCenter(new Vector3());
        const back = from === "home" ? HOME.clone() : this.back();
        const distance = this.distanceFor(box, centre, back);
        this.stand(centre.clone().addScaledVector(back, distance), centre);
        this.moved = false;
    }

    // Puts the camera somewhere. An orthographic one shows as much at the target as a perspective one would.
    stand(position: Vector3, target: Vector3) {
        this.camera.position.copy(position);
        this.controls.target.copy(target);
        this.halfHeight = this.tall * position.distanceTo(target);
        this.parallel.zoom = 1;
        this.setLens();
        this.controls.update();
        this.touch();
    }

    // Along an axis, with the same target and size.
    setView(name: ViewName) {
        const distance = this.camera.position.distanceTo(this.controls.target), zoom = this.parallel.zoom, half = this.halfHeight;
        const back = new Vector3(...VIEWS[name]);
        this.stand(this.controls.target.clone().addScaledVector(back, distance), this.controls.target.clone());
        if (this.isOrthographic) [this.parallel.zoom, this.halfHeight] = [zoom, half];
        this.setLens();
        this.moved = true;
    }

    get isOrthographic(): boolean {
        return this.camera === this.parallel;
    }

    setOrthographic(on: boolean) {
        if (on === this.isOrthographic) return;
        const target = this.controls.target.clone(), back = this.back();
        const seen = on ? this.camera.position.distanceTo(target) : this.halfHeight / this.parallel.zoom / this.tall;
        this.camera = on ? this.parallel : this.perspective;
        this.controls.object = this.camera;
        this.stand(target.clone().addScaledVector(back, seen), target);
        this.moved = true;
    }

    // How far the camera is from its target; an orthographic one: from where a perspective one would show as much.
    get distance(): number {
        return this.isOrthographic ? this.halfHeight / this.parallel.zoom / this.tall : this.camera.position.distanceTo(this.controls.target);
    }

    setClip(clip: Clip | null) {
        this.clip = clip;
        this.clipped.length = 0;
        if (clip) {
            const normal = new Vector3().setComponent(clip.axis, clip.flip ? 1 : -1);
            this.clipped.push(new Plane(normal.applyQuaternion(this.root.quaternion), clip.flip ? -clip.at : clip.at));
        }
        this.onClip(clip !== null);
        this.touchShadows();
    }

    private back(): Vector3 {
        return this.camera.position.clone().sub(this.controls.target).normalize();
    }

    private get tall(): number {
        return Math.tan((this.perspective.fov * Math.PI) / 360);
    }

    // Near and far planes and the sides of the orthographic picture, from where the camera is.
    private setLens() {
        const distance = this.camera.position.distanceTo(this.controls.target), { aspect } = this.perspective;
        this.perspective.near = Math.max(distance / 500, 1e-5 * this.radius);
        this.perspective.far = 60 * Math.max(distance, this.radius);
        this.parallel.near = -20 * this.radius;
        this.parallel.far = distance + 20 * this.radius;
        this.parallel.top = this.halfHeight;
        this.parallel.bottom = -this.halfHeight;
        this.parallel.right = this.halfHeight * aspect;
        this.parallel.left = -this.halfHeight * aspect;
        this.camera.updateProjectionMatrix();
    }

    // How far back along `back` all corners of the box are in the picture, with a margin.
    private distanceFor(box: Box3, centre: Vector3, back: Vector3): number {
        const right = Math.abs(back.y) > 0.999 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0).cross(back).normalize(), up = back.clone().cross(right);
        const tall = 0.92 * this.tall, wide = tall * this.perspective.aspect;
        let distance = 1e-6;
        for (let k = 0; k < 8; k++) {
            const corner = new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(centre);
            const needed = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / tall);
            distance = Math.max(distance, needed + corner.dot(back));
        }
        return distance;
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (width === 0 || height === 0) return;
        this.renderer.setPixelRatio(this.pixelRatio);
        this.renderer.setSize(width, height, false);
        this.perspective.aspect = width / height;
        this.setLens();
        // A new size empties the canvas: it is drawn at once, so that it never shows empty.
        this.touch();
        if (this.root.children.length > 1) this.draw();
    }

    // Draws when there is something new to see; says whether it did. `seconds` went by since the last refresh of the screen:
    // where drawing takes long, the camera stops when the hand does.
    draw(seconds = 0): boolean {
        this.controls.enableDamping = seconds < SLOW;
        this.controls.update();
        if (!this.dirty) return false;
        this.dirty = false;
        this.setLens();
        this.chooseShadows(performance.now());
        this.renderer.info.reset();
        // three.js uploads what has changed once per frame, and counts frames between collecting objects and drawing shadows: after a
        // picture with shadows, the next one would be drawn with old colours.
        this.renderer.info.render.frame++;
        this.renderer.render(this.scene, this.camera);
        return true;
    }

    // In drafts shadows follow once per second; they are drawn again when the draft ends.
    private chooseShadows(now: number) {
        const { shadowMap } = this.renderer;
        if (!shadowMap.needsUpdate) return;
        if (this.draft && now - this.shadowsAt < DRAFT_SHADOWS) shadowMap.needsUpdate = false;
        else this.shadowsAt = now;
    }

    private fillGrid(colour: number, alpha: number) {
        const positions: number[] = [], colours: number[] = [];
        const tint = [(colour >> 16) / 255, ((colour >> 8) & 255) / 255, (colour & 255) / 255];
        const shade = (x: number, z: number) => alpha * Math.max(0, 1 - Math.hypot(x, z) / GRID);
        for (let i = -GRID; i <= GRID; i++)
            for (let j = -GRID; j < GRID; j++)
                for (const [a, b] of [[[i, j], [i, j + 1]], [[j, i], [j + 1, i]]]) {
                    positions.push(a[0], 0, a[1], b[0], 0, b[1]);
                    colours.push(...tint, shade(a[0], a[1]), ...tint, shade(b[0], b[1]));
                }
        this.grid.geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
        this.grid.geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 4));
    }
}

// White in the middle, black at the rim.
function fadingDisc(): CanvasTexture {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 256;
    const context = canvas.getContext("2d")!;
    const gradient = context.createRadialGradient(128, 128, 0, 128, 128, 128);
    gradient.addColorStop(0, "#fff");
    gradient.addColorStop(0.25, "#ddd");
    gradient.addColorStop(0.6, "#444");
    gradient.addColorStop(1, "#000");
    context.fillStyle = gradient;
    context.fillRect(0, 0, 256, 256);
    return new CanvasTexture(canvas);
}
